// Starts the language server: `tessera-lsp` of the path.
use zed_extension_api as zed;

struct Tessera;

impl zed::Extension for Tessera {
    fn new() -> Self {
        Tessera
    }

    fn language_server_command(&mut self, _server: &zed::LanguageServerId, worktree: &zed::Worktree) -> zed::Result<zed::Command> {
        let command = worktree
            .which("tessera-lsp")
            .ok_or("there is no `tessera-lsp` on the path; it stands beside `tessera` and `tesserac`")?;
        Ok(zed::Command { command, args: vec!["--stdio".into()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Tessera);

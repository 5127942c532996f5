-- Tessera in Neovim (0.7 or later). In init.lua:
--   vim.opt.runtimepath:append("/path/to/tessera/editors/vim")      -- colours and file type
--   dofile("/path/to/tessera/editors/neovim/tessera.lua").setup()   -- or .setup({ command = "/path/to/tessera-lsp" })
local M = {}

local function emitted(target)
  local program = vim.api.nvim_buf_get_name(0)
  vim.cmd("silent update")
  local text = vim.fn.systemlist({ "tesserac", program, "--emit=source", "--target", target })
  if vim.v.shell_error ~= 0 then
    vim.notify(table.concat(text, "\n"), vim.log.levels.ERROR)
    return
  end
  vim.cmd("vnew")
  vim.api.nvim_buf_set_lines(0, 0, -1, false, text)
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile, vim.bo.modifiable = "nofile", "wipe", false, false
  vim.bo.filetype = target == "cuda" and "cuda" or "cpp"
end

function M.setup(options)
  options = options or {}
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, { pattern = "*.tsr", command = "setfiletype tessera" })
  vim.api.nvim_create_autocmd("FileType", {
    pattern = "tessera",
    callback = function(event)
      local root = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(event.buf), ":p:h")
      local config = {
        name = "tessera",
        cmd = { options.command or "tessera-lsp" },
        root_dir = root,
        on_attach = function(client, buffer)
          local function map(keys, action) vim.keymap.set("n", keys, action, { buffer = buffer }) end
          vim.api.nvim_buf_set_option(buffer, "omnifunc", "v:lua.vim.lsp.omnifunc") -- Ctrl-X Ctrl-O completes
          map("K", vim.lsp.buf.hover)
          map("gd", vim.lsp.buf.definition)
          map("gr", vim.lsp.buf.references)
          map("<leader>rn", vim.lsp.buf.rename)
          map("<leader>ca", vim.lsp.buf.code_action)
          if vim.lsp.inlay_hint and vim.lsp.inlay_hint.enable then vim.lsp.inlay_hint.enable(true, { bufnr = buffer }) end
          if options.on_attach then options.on_attach(client, buffer) end
        end,
      }
      if vim.lsp.start then
        vim.lsp.start(config, { bufnr = event.buf })
      else
        M.client = M.client or vim.lsp.start_client(config)
        vim.lsp.buf_attach_client(event.buf, M.client)
      end
    end,
  })
  vim.api.nvim_create_user_command("TesseraEmitted", function(args)
    emitted(args.args ~= "" and args.args or "cuda")
  end, { nargs = "?", complete = function() return { "cuda", "hip", "cpu" } end })
end

return M

if exists("b:did_ftplugin") | finish | endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s expandtab shiftwidth=4 softtabstop=4 textwidth=120
setlocal makeprg=tessera\ check\ %:S
setlocal errorformat=%Eerror[%[A-Z0-9]%\\+]:\ %m,%Wwarning[%[A-Z0-9]%\\+]:\ %m,%Z\ %#-->\ %f:%l:%c,%-G%.%#
let b:undo_ftplugin = "setlocal commentstring< expandtab< shiftwidth< softtabstop< textwidth< makeprg< errorformat<"

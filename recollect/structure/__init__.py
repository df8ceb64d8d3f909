"""From files to pieces that know their place: formats, sections, code, chats, folders."""

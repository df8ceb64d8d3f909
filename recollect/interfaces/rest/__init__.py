"""The memory over HTTP: REST, events, metrics and a first web page. Needs the extra `server`."""

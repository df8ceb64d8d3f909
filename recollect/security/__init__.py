"""Protection of what is stored: what a text is before it is kept, and who may read it afterwards."""

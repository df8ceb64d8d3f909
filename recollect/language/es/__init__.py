"""Spanish: the lists beside this file and the rules that read them."""

"""The rules of Java: which class a name means, what a class has with what it inherits, which overload is called."""

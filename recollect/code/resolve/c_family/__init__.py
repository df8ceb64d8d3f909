"""The rules of C and C++: which file an include means, what names and expressions stand for."""

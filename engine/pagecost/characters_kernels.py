"""The characters of ASCII that formats of text are made of, by name: plain numbers, as compiled code compares bytes."""

TAB, LINE_FEED, RETURN, SPACE = (ord(each) for each in "\t\n\r ")
EXCLAMATION, QUOTE, HASH, AMPERSAND, PLUS, COMMA, MINUS, POINT, SLASH = (ord(each) for each in '!"#&+,-./')
SEMICOLON, LESS, EQUALS, GREATER, QUESTION, BRACKET = (ord(each) for each in ";<=>?[")
ZERO, ONE, FIVE, NINE = (ord(each) for each in "0159")
UPPER_C, UPPER_D, UPPER_E, UPPER_R, UPPER_T, UPPER_W = (ord(each) for each in "CDERTW")
LOWER_A, LOWER_C, LOWER_D, LOWER_E, LOWER_F, LOWER_G, LOWER_L, LOWER_M = (ord(each) for each in "acdefglm")
LOWER_N, LOWER_O, LOWER_P, LOWER_R, LOWER_S, LOWER_T, LOWER_W, LOWER_Y = (ord(each) for each in "noprstwy")
CASE = ord("a") - ord("A")  # the bit that makes a letter small

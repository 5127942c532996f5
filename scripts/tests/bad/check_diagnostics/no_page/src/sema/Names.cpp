report(Id::unknownName); report(Id::otherName);

report(Id::other);

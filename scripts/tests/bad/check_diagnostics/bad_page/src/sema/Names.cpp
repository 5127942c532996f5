engine.report(Id::unknownName, span, name);

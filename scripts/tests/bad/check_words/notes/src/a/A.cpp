int a;  // TODO: more

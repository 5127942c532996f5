struct Values {};

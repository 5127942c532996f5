const char *p = "/work/main/a";
const char *q = "/home/me/a";
const char *r = "/root/.cache";

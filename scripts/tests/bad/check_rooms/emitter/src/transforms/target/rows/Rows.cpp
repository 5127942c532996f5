#include "transforms/target/values/Values.h"

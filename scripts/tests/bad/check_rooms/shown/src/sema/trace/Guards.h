#pragma once
#include "sema/Context.h"

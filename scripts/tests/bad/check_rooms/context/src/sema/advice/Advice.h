#pragma once
#include "sema/Report.h"
struct Advice;

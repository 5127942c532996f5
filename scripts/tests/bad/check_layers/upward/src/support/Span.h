#pragma once
#include "diag/D.h"

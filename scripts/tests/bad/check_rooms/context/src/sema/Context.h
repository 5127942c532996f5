#pragma once
struct Context;

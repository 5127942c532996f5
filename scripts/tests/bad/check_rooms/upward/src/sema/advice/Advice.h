#pragma once
struct Advice;

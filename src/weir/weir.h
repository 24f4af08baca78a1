#pragma once

// The one header of a program that uses Weir.
#include "weir/environment/weir.h"

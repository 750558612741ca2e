#pragma once

void clamp_to(float* dev, float most, int n);

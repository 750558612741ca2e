#pragma once

void normalise(float* dev, float mean, float inverse, int n);

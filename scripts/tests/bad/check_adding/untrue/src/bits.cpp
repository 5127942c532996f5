// bits

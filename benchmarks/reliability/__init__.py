"""Bad days, played through the program alone and judged by git: is anything acknowledged ever lost?

python -m benchmarks.reliability [--quick | --deep] [--seed N] [--minutes M] [R1 R2 ...]
"""

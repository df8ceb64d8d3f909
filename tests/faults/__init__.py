"""What must hold when processes die, disks fill and files are not what they seem."""

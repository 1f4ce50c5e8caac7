# A peer that was given three R_Keys predicts the next.
verdict keys
ok "$said, none tells the next key"

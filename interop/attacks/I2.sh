# A peer that was given three R_Keys predicts the next.
verdict keys
ok "$detail, none tells the next key"

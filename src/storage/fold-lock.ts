/** Whoever changes the tables that counts are folded into holds this advisory lock. "tank", "fold". */
export const FOLD_LOCK = [0x74616e6b, 0x666f6c64] as const;

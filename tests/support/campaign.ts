/** CAMPAIGN=long: the long form. Without it each campaign takes its short form, with fixed seeds. */
export const isLong = process.env.CAMPAIGN === 'long';

/** What a campaign takes in its short and in its long form. */
export function shortOrLong<T>(short: T, long: T): T {
  return isLong ? long : short;
}

/** The seed of a campaign: CAMPAIGN_SEED repeats a failure; else fixed in the short form and a new one each time in the long one. */
export function campaignSeed(fixed: number): number {
  const given = process.env.CAMPAIGN_SEED;
  if (given !== undefined) return Number(given);
  return isLong ? Date.now() % 1_000_000_000 : fixed;
}

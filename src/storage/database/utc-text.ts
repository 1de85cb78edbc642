/**
 * Infinity and years before Christ, which to_char would leave out or give as years of ours, are told in another form: no
 * two instants read the same.
 * @returns SQL that gives a timestamptz column in UTC to the microsecond, which a Date would cut off
 */
export function utcText(column: string): string {
  const isOurs = `isfinite(${column}) AND ${column} >= '0002-01-01T00:00:00Z'`;
  return `CASE WHEN ${isOurs} THEN to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    ELSE ${column}::text END AS at`;
}

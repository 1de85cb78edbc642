/** @returns SQL that gives a timestamptz column in UTC to the microsecond, which a Date would cut off */
export function utcText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`;
}

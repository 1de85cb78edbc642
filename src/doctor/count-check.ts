import { type Finding, found } from './finding.ts';

/** @param drifted the number of counts that are wrong */
export function checkCounts(drifted: number): readonly Finding[] {
  return drifted === 0
    ? []
    : [
        found(
          'error',
          'counters.drifted',
          `${drifted === 1 ? '1 count differs' : `${drifted} counts differ`} from the tokens and users: /monitoring answers wrongly`,
          '`tankeeper count --verify --mend`',
        ),
      ];
}

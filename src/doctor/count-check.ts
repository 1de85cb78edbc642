import { isServiceError } from '../kernel/errors.ts';
import { type Finding, findingOf } from './finding.ts';

/**
 * @param driftedCounts compares the counts
 * @returns findings about counts that are wrong, or were not compared in time
 */
export async function checkCounts(driftedCounts: () => Promise<number>): Promise<readonly Finding[]> {
  try {
    const drifted = await driftedCounts();
    return drifted === 0 ? [] : [driftedFinding(drifted)];
  } catch (error) {
    if (!isServiceError(error, 'database.unavailable')) {
      throw error;
    }
    const text = 'the counts could not be compared with the tokens and users in time';
    return [
      findingOf('note', 'counters.uncompared', text, '`tankeeper count --verify`, which has no time limit'),
    ];
  }
}

function driftedFinding(drifted: number): Finding {
  return findingOf(
    'error',
    'counters.drifted',
    `${drifted === 1 ? '1 count differs' : `${drifted} counts differ`} from the tokens and users: /monitoring answers wrongly`,
    '`tankeeper count --verify --mend`',
  );
}

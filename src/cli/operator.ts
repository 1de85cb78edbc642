import type { Caller } from '../policy/caller.ts';
import type { Random } from '../kernel/clock.ts';

/** @returns the caller for somebody at the machine itself; the audit shows `operator:` and the name of their account */
export function operatorCaller({ osUser, random }: { osUser: string; random: Random }): Caller {
  return {
    principal: { administrator: `operator:${osUser}`, rights: ['*'], operator: true, client: '' },
    requestId: `cli-${random.bytes(8).toString('hex')}`,
  };
}

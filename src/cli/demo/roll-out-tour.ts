import { z } from 'zod';
import type { Clock, Random } from '../../kernel/clock.ts';
import { randomActivationCode } from '../../ocra/activation-code.ts';
import { emptyDeviceState } from '../device/device-file.ts';
import type { DemoGuide } from './demo-guide.ts';
import { DemoPhone } from './demo-phone.ts';
import { TOUR_USER } from './demo-plan.ts';
import { checkTransaction } from './demo-request.ts';
import { checkedResponse } from './expectation.ts';

const phase1 = z.object({ detail: z.object({ serial: z.string(), app_import: z.string() }) });
const phase2 = z.object({ detail: z.object({ transactionid: z.string(), app_import: z.string() }) });

/** The token that the roll-out made, and the app that holds it. */
export interface RolledOut {
  readonly serial: string;
  readonly phone: DemoPhone;
}

/** Rolls a QR-TAN token out for the tour's user, the virtual app answering. */
export async function tourRollOut(
  guide: DemoGuide,
  { clock, random }: { clock: Clock; random: Random },
): Promise<RolledOut> {
  const activationCode = randomActivationCode(random);
  const phone = new DemoPhone(guide, clock, { ...emptyDeviceState(), activationCode });
  const user = { type: 'ocra', genkey: '1', user: TOUR_USER.login, realm: TOUR_USER.realm };

  guide.step(`Roll-out, phase 1: a shared secret for ${TOUR_USER.login}`);
  const first = phase1.parse(
    await guide.ask(
      {
        method: 'POST',
        path: '/admin/init',
        asAdministrator: true,
        parameters: { ...user, sharedsecret: '1' },
      },
      { result: { status: true }, detail: { app_import: startsWith('lseqr://init?') } },
    ),
  );
  await phone.scan(first.detail.app_import);

  guide.step('Roll-out, phase 2: a nonce, signed; the key comes of secret, nonce and activation code');
  guide.say(
    `${TOUR_USER.login} has got the activation code ${activationCode} on paper and types it into the app.`,
  );
  const second = phase2.parse(
    await guide.ask(
      {
        method: 'POST',
        path: '/admin/init',
        asAdministrator: true,
        parameters: { ...user, activationcode: activationCode, message: 'Welcome' },
      },
      { result: { status: true }, detail: { app_import: startsWith('lseqr://nonce?') } },
    ),
  );
  const response = await phone.respond(second.detail.app_import);

  guide.step('The first response completes the roll-out');
  await guide.ask(checkTransaction(second.detail.transactionid, response), checkedResponse(true, 0));
  return { serial: first.detail.serial, phone };
}

function startsWith(beginning: string): (actual: unknown) => boolean {
  return (actual) => typeof actual === 'string' && actual.startsWith(beginning);
}

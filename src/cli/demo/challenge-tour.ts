import { z } from 'zod';
import { drawQrText } from '../device/qr-code.ts';
import type { DemoGuide } from './demo-guide.ts';
import { TOUR_USER } from './demo-plan.ts';
import type { RolledOut } from './roll-out-tour.ts';
import { checkTransaction } from './demo-request.ts';
import { checkedResponse } from './expectation.ts';

const issued = z.object({ detail: z.object({ transactionid: z.string(), data: z.string() }) });

/** Requests a challenge and answers it: wrongly, rightly, and once again. */
export async function tourChallenge(
  guide: DemoGuide,
  { serial, phone }: RolledOut,
  { color }: { color: boolean },
): Promise<void> {
  guide.step('A challenge, to be shown as a QR code');
  const { detail } = issued.parse(
    await guide.ask(
      {
        method: 'POST',
        path: '/ocra/request',
        asAdministrator: true,
        parameters: { ...TOUR_USER_PARAMETERS, data: 'Pay 120 EUR to Bert?' },
      },
      { result: { status: true, value: false }, detail: { data: isText, transactionid: isText } },
    ),
  );
  guide.say(await drawQrText(detail.data, { color }));
  const response = await phone.respond(detail.data);

  guide.step('A wrong response is counted');
  await guide.ask(checkTransaction(detail.transactionid, otherThan(response)), checkedResponse(false, 1));

  guide.step('The right response is accepted');
  await guide.ask(checkTransaction(detail.transactionid, response), checkedResponse(true, 0));

  guide.step('The same response again is refused');
  await guide.ask(checkTransaction(detail.transactionid, response), checkedResponse(false, 0));

  guide.step('What became of the transaction');
  await guide.ask(
    {
      method: 'GET',
      path: '/ocra/checkstatus',
      asAdministrator: true,
      parameters: { transactionid: detail.transactionid },
    },
    {
      result: {
        status: true,
        value: [
          { serial, transactionid: detail.transactionid, received_tan: true, valid_tan: true, failcount: 0 },
        ],
      },
    },
  );
}

const TOUR_USER_PARAMETERS = { user: TOUR_USER.login, realm: TOUR_USER.realm };

function isText(actual: unknown): boolean {
  return typeof actual === 'string' && actual !== '';
}

/** @returns the response with its first digit changed */
function otherThan(response: string): string {
  return `${(Number(response.charAt(0)) + 1) % 10}${response.slice(1)}`;
}

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { callWithDetail } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { type Texts, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { transactionAddress } from './addresses.ts';
import { useTokenAct } from './use-token-act.ts';

const texts: Texts<{ readonly name: string; readonly data: string }> = {
  en: { name: 'Try a payment', data: 'This is a test. Nothing is paid.' },
  de: { name: 'Zahlung ausprobieren', data: 'Dies ist ein Test. Es wird nichts bezahlt.' },
};

/** Issues a challenge to an app, and leads to its page, which shows the QR code and waits for the response. */
export function TestPayment({ serial }: { readonly serial: string }): ReactNode {
  const t = useTexts(texts);
  const session = useSession();
  const [, navigate] = useLocation();
  const request = useTokenAct(
    async () => (await callWithDetail('/ocra/request', { serial, data: t.data })).detail.transactionid,
    (id) => {
      navigate(transactionAddress(id));
    },
  );
  if (!session.may('ocra', 'request') || !session.may('admin', 'transaction')) {
    return null;
  }
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={request.isPending}
        onClick={() => {
          request.mutate();
        }}
      >
        {t.name}
      </Button>
      <Failure error={request.error} />
    </>
  );
}

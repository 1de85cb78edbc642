import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { AccountFailure, type AccountFault } from './account-api.ts';
import { accountTexts } from './account-texts.ts';

interface Work {
  /** Does something that may fail, and says how. */
  readonly run: (work: () => Promise<void>) => void;
  readonly fail: (error: unknown) => void;
  readonly isBusy: boolean;
  /** The failure; undefined: there is none. */
  readonly notice: JSX.Element | undefined;
}

/** @param onEnded called where the sign-in has ended */
export function useWork(onEnded?: () => void): Work {
  const texts = useTexts(accountTexts);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<AccountFault>();
  const fail = (error: unknown): void => {
    const found = error instanceof AccountFailure ? error.fault : { message: String(error) };
    if (found === 'ended' && onEnded !== undefined) {
      onEnded();
    } else {
      setFault(found);
    }
  };
  return {
    run: (work) => {
      setBusy(true);
      setFault(undefined);
      work()
        .catch(fail)
        .finally(() => {
          setBusy(false);
        });
    },
    fail,
    isBusy,
    notice: fault && (
      <Notice kind="error">{typeof fault === 'string' ? texts.faults[fault] : fault.message}</Notice>
    ),
  };
}

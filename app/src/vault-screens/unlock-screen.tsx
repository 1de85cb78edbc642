import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useChanges, useLoaded } from '../shell/services.ts';
import { Form } from './form.tsx';
import { pinTexts } from './pin-texts.ts';
import { RemoveEverything } from './remove-everything.tsx';
import type { Proof, ProtectedVault } from '../vault/vault.ts';
import { vaultTexts } from './vault-texts.ts';
import { secondsUntil, useOutcomeTexts, useVaultWork } from './vault-work.ts';
import { WorkNotice } from './work-notice.tsx';

/** The screen of a locked app. @param top the content that the shell shows above */
export function UnlockScreen({
  vault,
  top,
}: {
  vault: ProtectedVault;
  top?: ComponentChildren;
}): JSX.Element {
  const texts = useTexts(pinTexts);
  useChanges(vault);
  return (
    <Screen title={texts.unlockTitle}>
      {top}
      <UnlockForm vault={vault} />
      <details>
        <summary>{texts.forgotten}</summary>
        <div class="actions">
          <p>{texts.forgottenText}</p>
          <RemoveEverything vault={vault} />
        </div>
      </details>
    </Screen>
  );
}

function UnlockForm({ vault }: { vault: ProtectedVault }): JSX.Element {
  const texts = useTexts(pinTexts);
  const { pin: pinLabel, withPasskey, wait } = useTexts(vaultTexts);
  const [pin, setPin] = useState('');
  const work = useVaultWork();
  const explain = useOutcomeTexts();
  const seconds = useWait(vault, work.isBusy);
  const unlock = (proof: Proof): void => {
    work.run(async () => {
      const outcome = await vault.unlock(proof);
      setPin('');
      // The wait is shown as it goes down.
      return outcome.kind === 'too-early' ? undefined : explain(outcome);
    });
  };
  const isReady = pin !== '' && seconds === 0;
  return (
    <Form
      onSubmit={() => {
        if (isReady) {
          unlock({ kind: 'pin', pin });
        }
      }}
    >
      <Field
        label={pinLabel}
        type="password"
        inputMode={vault.hasDigitPin ? 'numeric' : 'text'}
        autocomplete="current-password"
        value={pin}
        onValue={setPin}
      />
      <WorkNotice message={work.message} />
      {seconds > 0 && <p class="field-error">{wait(seconds)}</p>}
      <Button kind="primary" type="submit" disabled={!isReady} busy={work.isBusy}>
        {texts.unlock}
      </Button>
      {vault.hasPasskey && (
        <Button
          busy={work.isBusy}
          onPress={() => {
            unlock({ kind: 'passkey' });
          }}
        >
          {withPasskey}
        </Button>
      )}
    </Form>
  );
}

/** @returns the seconds until the next attempt, as they go down */
function useWait(vault: ProtectedVault, isBusy: boolean): number {
  const attempts = useLoaded(() => vault.attempts(), [vault, isBusy]);
  const [, redraw] = useState({});
  const seconds = attempts.kind === 'loaded' ? secondsUntil(attempts.value.retryAt) : 0;
  useEffect(() => {
    const timer = seconds > 0 ? setTimeout(redraw, 1_000, {}) : undefined;
    return () => {
      clearTimeout(timer);
    };
  });
  return seconds;
}

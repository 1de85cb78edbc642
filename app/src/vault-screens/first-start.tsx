import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Switch } from '../design/choice.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useChanges } from '../shell/services.ts';
import { Form } from './form.tsx';
import { EMPTY_PIN, isReady, NewPinFields } from './new-pin-fields.tsx';
import { pinTexts } from './pin-texts.ts';
import type { ProtectedVault } from '../vault/vault.ts';
import { vaultTexts } from './vault-texts.ts';
import { useVaultWork } from './vault-work.ts';
import { WorkNotice } from './work-notice.tsx';

interface FirstStartProps {
  readonly vault: ProtectedVault;
  /** The content that the shell shows above. */
  readonly top?: ComponentChildren;
  /** Opens the screen where a backup is restored. */
  readonly onRestore: () => void;
}

/** The choice of a PIN before anything is stored. */
export function FirstStart({ vault, top, onRestore }: FirstStartProps): JSX.Element {
  const texts = useTexts(pinTexts);
  const { wiped } = useTexts(vaultTexts);
  const [value, setValue] = useState(EMPTY_PIN);
  const [hasBackup, setHasBackup] = useState(false);
  const work = useVaultWork();
  useChanges(vault);
  return (
    <Screen title={texts.firstTitle}>
      {top}
      {vault.wasWiped && <Notice kind="warning">{wiped}</Notice>}
      <p class="screen-text">{texts.firstText}</p>
      <Form
        onSubmit={() => {
          if (isReady(value)) {
            work.run(async () => {
              await vault.create(value.pin);
              if (hasBackup) {
                onRestore();
              }
              return undefined;
            });
          }
        }}
      >
        <NewPinFields value={value} onValue={setValue} />
        <Switch label={texts.firstBackup} checked={hasBackup} onChecked={setHasBackup} />
        <WorkNotice message={work.message} />
        <Button kind="primary" type="submit" disabled={!isReady(value)} busy={work.isBusy}>
          {texts.create}
        </Button>
      </Form>
      <p class="muted">{texts.firstForgotten}</p>
    </Screen>
  );
}

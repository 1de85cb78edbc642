import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { pinTexts } from './pin-texts.ts';
import type { ProtectedVault } from '../vault/vault.ts';
import { useVaultWork } from './vault-work.ts';
import { WorkNotice } from './work-notice.tsx';

/** The button that removes everything after a second press. */
export function RemoveEverything({ vault }: { vault: ProtectedVault }): JSX.Element {
  const texts = useTexts(pinTexts);
  const [isAsking, setAsking] = useState(false);
  const work = useVaultWork();
  if (!isAsking) {
    return (
      <Button
        kind="danger"
        onPress={() => {
          setAsking(true);
        }}
      >
        {texts.removeEverything}
      </Button>
    );
  }
  return (
    <div class="actions">
      <Notice kind="warning">{texts.removeSure}</Notice>
      <WorkNotice message={work.message} />
      <Button
        kind="danger"
        busy={work.isBusy}
        onPress={() => {
          work.run(async () => {
            await vault.removeEverything();
            return undefined;
          });
        }}
      >
        {texts.removeNow}
      </Button>
      <Button
        onPress={() => {
          setAsking(false);
        }}
      >
        {texts.keep}
      </Button>
    </div>
  );
}

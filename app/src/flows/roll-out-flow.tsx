import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import { flowTexts } from './flow-texts.ts';
import { NextSteps } from './next-steps.tsx';
import type { ReadRollOut } from './open-code.ts';
import { useReadingTime } from './reading-time.ts';

/** The first phase of a roll-out: asks, stores the token, and says that the second code comes next. */
export function RollOutFlow({
  started: { token, replaced, isStored },
  onFault,
}: {
  started: ReadRollOut;
  onFault: (error: unknown) => void;
}): JSX.Element {
  const { vault, navigation } = useServices();
  const texts = useTexts(flowTexts);
  const [state, setState] = useState<'asking' | 'saving' | 'saved'>(isStored ? 'saved' : 'asking');
  const isReadable = useReadingTime();
  if (state === 'saved') {
    return <AddedScreen serial={token.serial} />;
  }
  const save = (): void => {
    setState('saving');
    vault.saveToken(token).then(() => {
      setState('saved');
    }, onFault);
  };
  return (
    <Screen title={texts.addTitle}>
      <dl class="card facts">
        <div>
          <dt>{texts.serial}</dt>
          <dd class="destination">
            <strong>{token.serial}</strong>
          </dd>
        </div>
      </dl>
      <p class="screen-text">{texts.addText}</p>
      {replaced && <Notice kind="warning">{texts.replaceWarning}</Notice>}
      <div class="actions">
        <Button
          kind={replaced ? 'danger' : 'primary'}
          disabled={!isReadable}
          busy={state === 'saving'}
          onPress={save}
        >
          {replaced ? texts.replace : texts.add}
        </Button>
        <Button
          onPress={() => {
            navigation.replace({ name: 'tokens' });
          }}
        >
          {texts.cancel}
        </Button>
      </div>
    </Screen>
  );
}

function AddedScreen({ serial }: { serial: string }): JSX.Element {
  const texts = useTexts(flowTexts);
  return (
    <Screen title={texts.addedTitle}>
      <Notice kind="success">{texts.added(serial)}</Notice>
      <p class="screen-text">{texts.addedNext}</p>
      <NextSteps scan={texts.scanSecond} />
    </Screen>
  );
}

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import {
  type ActivationCodeEntry,
  type EnteredCharacter,
  inspectActivationCode,
} from '../../../src/device/activation-code-entry.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import { flowTexts } from './flow-texts.ts';
import { activate, type AwaitedActivation, type ShownChallenge } from './open-code.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { refusalTexts } from './refusal-texts.ts';

interface ActivationProps {
  readonly awaited: AwaitedActivation;
  readonly onActivated: (challenge: ShownChallenge) => void;
  readonly onFault: (error: unknown) => void;
}

/** Longer codes than any server makes are no typing errors. */
const MAX_ENTRY_LENGTH = 120;

/** The entry of the activation code, in which each character is checked as it is typed. */
export function ActivationScreen({ awaited, onActivated, onFault }: ActivationProps): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(flowTexts);
  const refusals = useTexts(refusalTexts);
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [isSubmitted, setSubmitted] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const entry = inspectActivationCode(typed);
  const submit = (event: Event): void => {
    event.preventDefault();
    setSubmitted(true);
    if (entry.checksum !== 'right' || isBusy) {
      return;
    }
    setBusy(true);
    activate(vault, awaited, typed).then(onActivated, (error: unknown) => {
      // Another try may help here; everything else ends the flow.
      const reason = refusalOf(error);
      setBusy(false);
      if (reason === 'activation-signature' || reason === 'activation-code') {
        setRefusal(reason);
      } else {
        onFault(error);
      }
    });
  };
  return (
    <Screen title={texts.activationTitle}>
      <p class="screen-text">{texts.activationText(awaited.token.serial)}</p>
      <form class="actions" onSubmit={submit}>
        <Field
          label={texts.activationLabel}
          value={typed}
          maxLength={MAX_ENTRY_LENGTH}
          hint={texts.activationHint}
          error={useEntryError(entry, isSubmitted)}
          onValue={(value) => {
            setTyped(value);
            setSubmitted(false);
            setRefusal(undefined);
          }}
        />
        <Letters entry={entry} />
        {refusal !== undefined && (
          <Notice kind="error">
            <strong>{refusals[refusal].title}</strong>
            <p>{refusals[refusal].advice}</p>
          </Notice>
        )}
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.continue}
        </Button>
      </form>
    </Screen>
  );
}

/** @returns the fault of the entry; missing characters only after an attempt to go on */
function useEntryError(entry: ActivationCodeEntry, isSubmitted: boolean): string | undefined {
  const texts = useTexts(flowTexts);
  const significant = entry.characters.filter(({ state }) => state !== 'separator');
  const wrong = significant.findIndex(({ state }) => state === 'impossible');
  const character = significant[wrong];
  if (character !== undefined) {
    return texts.activationWrong(wrong + 1, character.typed);
  }
  if (entry.checksum === 'wrong') {
    return texts.activationMistyped;
  }
  return isSubmitted && !entry.isComplete ? texts.activationMissing(entry.missing) : undefined;
}

/** The characters as they are read; impossible ones are marked. */
function Letters({ entry }: { entry: ActivationCodeEntry }): JSX.Element {
  const texts = useTexts(flowTexts);
  const significant = entry.characters.filter(({ state }) => state !== 'separator');
  return (
    <div>
      {significant.length > 0 && (
        <div class="code-letters" role="img" aria-label={`${texts.activationRead}: ${entry.formatted}`}>
          {inGroups(significant).map((group, place) => (
            <span key={place} class="code-group">
              {group.map(({ read, state }, letter) => (
                <span
                  key={letter}
                  class={state === 'impossible' ? 'code-letter code-letter-wrong' : 'code-letter'}
                >
                  {read}
                </span>
              ))}
            </span>
          ))}
        </div>
      )}
      <p class="muted" role="status">
        {entry.checksum === 'right' && texts.activationRight}
        {significant.length > 0 && entry.missing > 0 && texts.activationMissing(entry.missing)}
      </p>
    </div>
  );
}

/** The code in the form of `ActivationCodeEntry.formatted`. */
const GROUP = 4;

function inGroups(characters: readonly EnteredCharacter[]): readonly (readonly EnteredCharacter[])[] {
  return Array.from({ length: Math.ceil(characters.length / GROUP) }, (_, place) =>
    characters.slice(GROUP * place, GROUP * (place + 1)),
  );
}

import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { CameraView } from './camera-view.tsx';
import { type PictureOutcome, readPicture } from './picture.ts';
import { scanTexts } from './scan-texts.ts';

/** No code is longer; what is cut off here is refused as too long anyway. */
const MAX_TEXT_LENGTH = 20_000;

/** The ways in which a code comes into the app. Reports one code, once. */
export function ScanScreen({ onCode }: { onCode: (text: string) => void }): JSX.Element {
  const texts = useTexts(scanTexts);
  return (
    <Screen title={texts.title}>
      <p class="screen-text">{texts.hint}</p>
      <CameraView onCode={onCode} />
      <OtherWays onCode={onCode} />
    </Screen>
  );
}

type PictureState = { readonly kind: 'none' | 'reading' } | PictureOutcome;

function OtherWays({ onCode }: { onCode: (text: string) => void }): JSX.Element {
  const texts = useTexts(scanTexts);
  const [picture, readFile] = usePicture(onCode);
  return (
    <section class="card" aria-label={texts.otherWays}>
      <h2>{texts.otherWays}</h2>
      <label class="button button-secondary file-choice">
        <Icon name="picture" />
        {texts.picture}
        <input
          type="file"
          accept="image/*"
          onChange={(event) => {
            const input = event.currentTarget;
            readFile(input.files?.[0]);
            // The same file may be chosen again.
            input.value = '';
          }}
        />
      </label>
      <PictureStatus state={picture} />
      <PasteForm onCode={onCode} onFile={readFile} />
    </section>
  );
}

function PictureStatus({ state }: { state: PictureState }): JSX.Element | null {
  const texts = useTexts(scanTexts);
  switch (state.kind) {
    case 'none':
    case 'code':
      return null;
    case 'reading':
      return <p role="status">{texts.readingPicture}</p>;
    default:
      return <Notice kind="warning">{texts.pictureFaults[state.kind]}</Notice>;
  }
}

function PasteForm({
  onCode,
  onFile,
}: {
  onCode: (text: string) => void;
  onFile: (file: File | undefined) => void;
}): JSX.Element {
  const texts = useTexts(scanTexts);
  const id = useId();
  const [text, setText] = useState('');
  const [isMissing, setMissing] = useState(false);
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') {
          setMissing(true);
        } else {
          onCode(text);
        }
      }}
    >
      <div class="field">
        <label for={id}>{texts.paste}</label>
        <textarea
          id={id}
          value={text}
          rows={3}
          maxLength={MAX_TEXT_LENGTH}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby={`${id}-hint ${id}-error`}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setMissing(false);
          }}
          onPaste={(event) => {
            onFile(event.clipboardData?.files[0]);
          }}
        />
        <p class="field-hint" id={`${id}-hint`}>
          {texts.pasteHint}
        </p>
        <p class="field-error" id={`${id}-error`} role="alert">
          {isMissing && texts.nothingPasted}
        </p>
      </div>
      <Button type="submit">{texts.open}</Button>
    </form>
  );
}

/** @returns the outcome of the last picture, and a function that reads another */
function usePicture(onCode: (text: string) => void): [PictureState, (file: File | undefined) => void] {
  const [state, setState] = useState<PictureState>({ kind: 'none' });
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  const readFile = (file: File | undefined): void => {
    if (file === undefined || state.kind === 'reading') {
      return;
    }
    setState({ kind: 'reading' });
    void readPicture(file).then((outcome) => {
      if (isGone.current) {
        return;
      }
      setState(outcome);
      if (outcome.kind === 'code') {
        onCode(outcome.text);
      }
    });
  };
  return [state, readFile];
}

import type { JSX } from 'preact';
import type { DisplaySegment, DisplayText } from '../../../src/device/display-text.ts';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { flowTexts } from './flow-texts.ts';

/** Characters that still fit a phone's screen in the largest type. */
const LARGE_TYPE = 160;

/** The text that is to be confirmed: large, whole, and with marks where it is not what it looks like. */
export function DisplayData({ text }: { text: DisplayText }): JSX.Element {
  const texts = useTexts(flowTexts);
  const length = text.segments.reduce((sum, segment) => sum + segment.text.length, 0);
  if (length === 0) {
    return <Notice kind="warning">{texts.displayEmpty}</Notice>;
  }
  return (
    <>
      <div
        class={length > LARGE_TYPE ? 'display-data display-data-long' : 'display-data'}
        role="group"
        aria-label={texts.displayData}
        dir="auto"
      >
        {text.segments.map((segment, place) => (
          <Segment key={place} segment={segment} />
        ))}
      </div>
      {!text.faithful && (
        <Notice kind="error">
          <strong>{texts.displayRefused}</strong>
          {text.reasons.map((reason) => (
            <p key={reason}>{texts.displayFaults[reason]}</p>
          ))}
        </Notice>
      )}
    </>
  );
}

function Segment({ segment: { kind, text, name } }: { segment: DisplaySegment }): JSX.Element {
  switch (kind) {
    case 'plain':
      return <>{text}</>;
    case 'look-alike':
      return <mark>{text}</mark>;
    default:
      return <mark class="mark-refused">{name}</mark>;
  }
}

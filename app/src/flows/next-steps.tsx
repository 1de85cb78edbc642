import type { JSX } from 'preact';
import { Button } from '../design/button.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import { flowTexts } from './flow-texts.ts';

/** The ways on from the end of a scan: another code, or the tokens. */
export function NextSteps({ scan }: { scan: string }): JSX.Element {
  const { navigation } = useServices();
  const { toTokens } = useTexts(flowTexts);
  return (
    <div class="actions">
      <Button
        kind="primary"
        onPress={() => {
          navigation.replace({ name: 'scan' });
        }}
      >
        {scan}
      </Button>
      <Button
        onPress={() => {
          navigation.replace({ name: 'tokens' });
        }}
      >
        {toTokens}
      </Button>
    </div>
  );
}

import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import { ActivationScreen } from './activation-screen.tsx';
import { ChallengeFlow } from './challenge-flow.tsx';
import { flowTexts } from './flow-texts.ts';
import { NextSteps } from './next-steps.tsx';
import { type OpenedCode, openCode } from './open-code.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { refusalTexts } from './refusal-texts.ts';
import { RollOutFlow } from './roll-out-flow.tsx';

type Step =
  { readonly kind: 'opening' } | { readonly kind: 'refused'; readonly refusal: Refusal } | OpenedCode;

/** The request of a code, step by step. */
export function CodeScreen({ text }: { text: string }): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(flowTexts);
  const [step, setStep] = useState<Step>({ kind: 'opening' });
  useEffect(() => {
    openCode(vault, text).then(setStep, (error: unknown) => {
      setStep({ kind: 'refused', refusal: refusalOf(error) });
    });
  }, [vault, text]);
  const refuse = (error: unknown): void => {
    setStep({ kind: 'refused', refusal: refusalOf(error) });
  };
  switch (step.kind) {
    case 'opening':
      return <Screen title={texts.opening}>{null}</Screen>;
    case 'refused':
      return <RefusedScreen refusal={step.refusal} />;
    case 'roll-out':
      return <RollOutFlow started={step} onFault={refuse} />;
    case 'activation':
      return <ActivationScreen awaited={step} onActivated={setStep} onFault={refuse} />;
    case 'challenge':
      return <ChallengeFlow first={step} onFault={refuse} />;
  }
}

function RefusedScreen({ refusal }: { refusal: Refusal }): JSX.Element {
  const texts = useTexts(flowTexts);
  const { title, advice } = useTexts(refusalTexts)[refusal];
  return (
    <Screen title={title}>
      <Notice kind="error">
        <strong>{texts.refusedMark}</strong>
        <p>{advice}</p>
      </Notice>
      <NextSteps scan={texts.scanAgain} />
    </Screen>
  );
}

import { Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../language/language.ts';
import { designTexts } from './design-texts.ts';

/** The sign that something is being loaded. */
export function Loading(): ReactNode {
  const t = useTexts(designTexts);
  return <Loader role="status" aria-label={t.loading} />;
}

/** Finds menus on screens. Recorded dialogs of the agents are in test/recordings/agents/dialogs. */
import { expect, test } from 'vitest'
import { choiceFor, findMenu } from './menu.ts'

const lines = (text: string) => text.split('\n')

test('a numbered menu is found with its question, for every kind of marker', () => {
  for (const mark of ['❯', '›', '●', '▶', '>']) {
    const screen = `Shall I?\n\n  1. Yes\n${mark} 2. No, and say why (esc)\n`
    expect(findMenu(lines(screen))).toEqual({
      question: 'Shall I?',
      choices: [
        { number: 1, label: 'Yes' },
        { number: 2, label: 'No, and say why (esc)' },
      ],
      marked: 1,
    })
  }
})

test('a menu may have descriptions, a frame and right-aligned numbers', () => {
  const screen = `
╭──────────────────────────────╮
│ Pick a theme                 │
│                              │
│     9. Dark                  │
│        Easy on the eyes      │
│ ●  10. Light                 │
│                              │
│ (Use Enter to select)        │
╰──────────────────────────────╯`
  expect(findMenu(lines(screen))).toMatchObject({
    question: 'Pick a theme',
    choices: [{ label: 'Dark' }, { label: 'Light' }],
    marked: 1,
  })
})

test('a menu without numbers needs a question above it or a hint below it', () => {
  const choices = '  ❯ No, exit\n    Yes, I trust this folder\n'
  expect(findMenu(lines(`${choices}\n  Enter to confirm · Esc to cancel`))).toMatchObject({ marked: 0 })
  expect(findMenu(lines(`  Is it safe?\n${choices}`))).toMatchObject({ question: 'Is it safe?' })
  expect(findMenu(lines(choices))).toBeUndefined()
})

test.each([
  ['a prompt of several lines', '────\n❯ fix this\n  and that\n────\n  ? for shortcuts'],
  ['a quoted menu above a prompt', 'It asks:\n❯ 1. Yes\n  2. No\n\n────\n❯ \n────'],
  ['a quoted list', '> 1. Only one\n\ntext'],
  ['a numbered list in typed text', '› 1. fix this\n  2. fix that\n\n  the model · ~/work'],
  ['a quote', '> so it is said\n  and so it goes on\n'],
  ['a list of points', '● First\n  second line?\n'],
  ['an empty screen', ''],
])('%s is not a menu', (_, screen) => {
  expect(findMenu(lines(screen))).toBeUndefined()
})

test('an answer selects a choice by its number or its label, with or without the hint', () => {
  const menu = findMenu(lines('Run it?\n› 1. Yes, proceed (y)\n  2. Default (recommended) ✔   The best\n  3. No\n'))!
  expect(['1', ' 2 ', '3.', 'yes, proceed', 'Yes, proceed (y)', 'Default (recommended)', 'NO'].map(pick)).toEqual([
    0, 1, 2, 0, 0, 1, 2,
  ])
  expect(['', '4', 'y', 'No, stop.', 'Yes'].map(pick)).toEqual(Array.from({ length: 5 }, () => undefined))
  function pick(answer: string) {
    return choiceFor(menu, answer)
  }
})

/** For phones whose keyboard covers the page instead of resizing it. */
visualViewport?.addEventListener('resize', () => {
  const { height, scale } = visualViewport!
  // Zooming in makes the visible part smaller, but not the page.
  document.documentElement.style.setProperty('--visible-height', `${height * scale}px`)
})

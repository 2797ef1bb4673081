print("motivator")
